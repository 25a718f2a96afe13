/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who reads which device, in a list: these are few at a time. */
#include "judge/reading.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define NAP_MS 10

/** struct read_device - one that is read or barred; @readers: readings under way */
struct read_device {
	dev_t dev;
	unsigned int readers;
	bool barred;
	struct read_device *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct read_device *devices;

static struct read_device *find(dev_t dev)
{
	struct read_device *d = devices;

	while (d && d->dev != dev)
		d = d->next;
	return d;
}

static struct read_device *find_or_add(dev_t dev)
{
	struct read_device *d = find(dev);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	*d = (struct read_device){ .dev = dev, .next = devices };
	devices = d;
	return d;
}

static void forget_unused(dev_t dev)
{
	for (struct read_device **at = &devices; *at; at = &(*at)->next) {
		struct read_device *d = *at;

		if (d->dev != dev || d->readers || d->barred)
			continue;
		*at = d->next;
		free(d);
		return;
	}
}

bool dw_reading_begin(dev_t dev)
{
	struct read_device *d;
	bool may;

	pthread_mutex_lock(&lock);
	d = find_or_add(dev);
	may = d && !d->barred;
	if (may)
		d->readers++;
	pthread_mutex_unlock(&lock);
	return may;
}

void dw_reading_end(dev_t dev)
{
	pthread_mutex_lock(&lock);
	find(dev)->readers--;
	forget_unused(dev);
	pthread_mutex_unlock(&lock);
}

static bool still_read(dev_t dev)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = find(dev)->readers > 0;
	pthread_mutex_unlock(&lock);
	return is;
}

int dw_reading_bar(dev_t dev, unsigned int seconds)
{
	static const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };
	struct read_device *d;
	int r;

	if (!dev)
		return 0;
	pthread_mutex_lock(&lock);
	d = find_or_add(dev);
	r = !d ? -ENOMEM : d->barred ? -EBUSY : 0;
	if (!r)
		d->barred = true;
	pthread_mutex_unlock(&lock);
	if (r)
		return r;
	for (unsigned int i = 0; still_read(dev); i++) {
		if (i >= seconds * (1000 / NAP_MS)) {
			dw_reading_unbar(dev);
			return -EBUSY;
		}
		nanosleep(&nap, NULL);
	}
	return 0;
}

void dw_reading_unbar(dev_t dev)
{
	struct read_device *d;

	pthread_mutex_lock(&lock);
	d = find(dev);
	if (d)
		d->barred = false;
	forget_unused(dev);
	pthread_mutex_unlock(&lock);
}
